"""The doors for programs in any language: a proxy that records, and a server that answers from recordings.

Both listen on loopback only. They need the extra `serve` (Starlette and uvicorn), which `server` imports.
"""
