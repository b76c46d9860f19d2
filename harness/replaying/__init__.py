"""What replays a recording: matching, the replay transport, re-derivation and the rerun of the loop."""
