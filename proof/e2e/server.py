"""A server with the official Python SDK, either line of it. usage: server.py stdio|http|sse (see README.md)"""
import socket
import sys
from importlib.metadata import version

import uvicorn
from mcp.types import Completion, SamplingMessage, TextContent
from pydantic import BaseModel

if version("mcp").startswith("1."):
    from mcp.server.fastmcp import Context, FastMCP as Server

    nothing_more = {"hasMore": False}
else:
    from mcp.server.mcpserver import Context, MCPServer as Server

    nothing_more = {"has_more": False}

mcp = Server("e2e-py", log_level="ERROR")


class Name(BaseModel):
    name: str = "Ann"


@mcp.tool()
def add(a: int, b: int) -> str:
    return str(a + b)


@mcp.tool()
async def chatty(ctx: Context) -> str:
    await ctx.report_progress(1, 2)
    await ctx.info("working")
    await ctx.report_progress(2, 2)
    return "done"


@mcp.tool()
async def ask(ctx: Context) -> str:
    answer = await ctx.elicit("Who?", Name)
    return f"Hello, {answer.data.name}"


@mcp.tool()
async def sample(ctx: Context) -> str:
    question = SamplingMessage(role="user", content=TextContent(type="text", text="?"))
    return (await ctx.session.create_message([question], max_tokens=10)).content.text


@mcp.tool()
async def roots(ctx: Context) -> str:
    return str((await ctx.session.list_roots()).roots[0].uri)


@mcp.resource("test://a")
def a() -> str:
    return "A"


@mcp.resource("test://{id}/data")
def data(id: str) -> str:
    return f"data {id}"


@mcp.prompt()
def greet(name: str) -> str:
    return f"Hello, {name}"


@mcp.completion()
async def complete(ref, argument, context):
    return Completion(values=["Ann", "Anna"], **nothing_more)


wire = sys.argv[1]
if wire == "stdio":
    mcp.run("stdio")
else:
    app, path = (mcp.sse_app(), "/sse") if wire == "sse" else (mcp.streamable_http_app(), "/mcp")
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}{path}", file=sys.stderr, flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
