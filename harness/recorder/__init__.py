"""What writes a recording: the transport that is recorded, the calls on it, and the turns of the loop."""
