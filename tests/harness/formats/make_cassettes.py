"""Makes the cassettes of this folder anew, with vcrpy and the SDK of OpenAI, against fixtures served on loopback.

    pip install vcrpy openai && python -m tests.harness.formats.make_cassettes

The names tell what was recorded: `stream` (events), `gzip` (a coded answer, kept coded), `decoded` (the same with
`decode_compressed_response`), `binary` (bytes both ways), `stream.json` (the serializer for JSON).
"""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path

import httpx
import vcr
from openai import OpenAI

from tests.loopback import Exchange, serve
from tests.scripted import fixture
from tests.threads import in_thread

FOLDER = Path(__file__).parent / "cassettes"
PORT = 18190
STREAM = fixture("openai-chat/tool-parallel.sse").body
BODY = fixture("openai-chat/body.body").body
BINARY = bytes(range(256))


async def handle(exchange: Exchange) -> None:
    if exchange.path == "/v1/files":
        await exchange.whole(BINARY, content_type="application/octet-stream")
    elif b'"stream":true' in exchange.body:
        await exchange.head(transfer_encoding="chunked")
        for piece in (STREAM[:99], STREAM[99:]):
            await exchange.chunk(piece)
            await asyncio.sleep(0.01)
        await exchange.chunk(b"")
    else:
        await exchange.whole(gzip.compress(BODY, mtime=0), content_type="application/json", content_encoding="gzip")


def main() -> None:
    with in_thread(serve(handle, PORT)) as server:
        client = OpenAI(api_key="sk-test-0123456789abcdefghijklmnop", base_url=f"{server.url}/v1")
        for name, options in (
            ("stream.yaml", {}),
            ("stream.json", {"serializer": "json"}),
            ("gzip.yaml", {}),
            ("decoded.yaml", {"decode_compressed_response": True}),
            ("binary.yaml", {}),
        ):
            (FOLDER / name).unlink(missing_ok=True)
            with vcr.VCR(filter_headers=["authorization"], **options).use_cassette(str(FOLDER / name)):
                if name == "binary.yaml":
                    httpx.post(f"{server.url}/v1/files", content=BINARY, headers={"user-agent": "x"})
                    continue
                question = [{"role": "user", "content": "What is the weather in Oslo? 🌧"}]
                streams = name.startswith("stream")
                answer = client.chat.completions.create(model="gpt-4.1", messages=question, stream=streams)
                if streams:
                    list(answer)


if __name__ == "__main__":
    main()
