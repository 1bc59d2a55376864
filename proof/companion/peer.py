"""The editor's protocol as Python's `mcp` and `websockets` speak it: find the lock file, agree on every revision, propose a
change and wait for its verdict.

peer.py HOME PROJECT: prints what it was told; the change waits until whoever runs this decides.
"""

import asyncio
import json
import pathlib
import sys

import anyio
import mcp.types as types
import websockets
from mcp import ClientSession
from mcp.shared.message import SessionMessage


class Wire:
    """Messages of a session over one WebSocket."""

    def __init__(self, socket):
        self.socket = socket

    async def __aenter__(self):
        to_session, read = anyio.create_memory_object_stream(0)
        write, from_session = anyio.create_memory_object_stream(0)

        async def receive():
            async with to_session:
                async for text in self.socket:
                    await to_session.send(SessionMessage(types.JSONRPCMessage.model_validate_json(text)))

        async def send():
            async with from_session:
                async for message in from_session:
                    await self.socket.send(message.message.model_dump_json(by_alias=True, exclude_none=True))

        self.tasks = [asyncio.create_task(receive()), asyncio.create_task(send())]
        return read, write

    async def __aexit__(self, *_):
        for task in self.tasks:
            task.cancel()


async def main(home, project):
    lock = next(pathlib.Path(home, ".claude/ide").glob("*.lock"))
    known = json.loads(lock.read_text())
    assert known["workspaceFolders"] == [project], known
    headers = {"X-Claude-Code-Ide-Authorization": known["authToken"]}
    address = f"ws://127.0.0.1:{lock.stem}"
    for path in ["/", "/mcp"]:
        async with websockets.connect(address + path, additional_headers=headers, subprotocols=["mcp"]) as socket:
            assert socket.subprotocol == "mcp"
            async with Wire(socket) as (read, write), ClientSession(read, write) as session:
                agreed = await session.initialize()
                tools = {tool.name for tool in (await session.list_tools()).tools}
                assert "openDiff" in tools and ("read_file" in tools) == (path == "/mcp"), tools
                print(path, agreed.protocolVersion, len(tools), flush=True)
                file = str(pathlib.Path(project, "win.txt"))
                verdict = await session.call_tool(
                    "openDiff",
                    {"old_file_path": file, "new_file_path": file, "new_file_contents": "a\r\nb\r\n", "tab_name": path},
                )
                print([item.text for item in verdict.content], flush=True)
    async with websockets.connect(address, additional_headers={}) as socket:
        try:
            await socket.recv()
        except websockets.ConnectionClosed as closed:
            print(closed.rcvd.code, closed.rcvd.reason, flush=True)
    try:
        await websockets.connect(address, additional_headers=headers, origin="http://127.0.0.1")
    except websockets.InvalidStatus as refused:
        print("with an origin", refused.response.status_code, flush=True)


asyncio.run(main(*sys.argv[1:]))
