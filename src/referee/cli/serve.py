"""`referee serve`: the page for files that are dropped on it, on loopback."""

from __future__ import annotations

import click

from referee.errors import WriteError, refuse_without

LARGEST = "1GB"


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, show_default="any free one", help="The port on this machine."
)
@click.option("--max-upload", default=LARGEST, show_default=True, metavar="SIZE", help="Limit for the size of a file.")
@click.option("--open", "in_browser", is_flag=True, help="Also open the page in the browser.")
def command(port: int, max_upload: str, in_browser: bool) -> None:
    """Open a page on this machine: drop a file on it, choose columns and goal, and see the verdict.

    Nothing leaves the machine: the server listens on 127.0.0.1 only, requires the token in the address that it prints,
    and deletes every file when it is stopped (Ctrl-C).
    """
    refuse_without("serve", "starlette", "uvicorn", to="`referee serve`")
    from referee.cli.inputs import size
    from referee.page.server import serve

    def opened(address: str) -> None:
        click.echo(f"Open {address}\nCtrl-C stops the server and deletes its files.")
        if in_browser:
            click.launch(address)

    try:
        serve(port, size(max_upload, "--max-upload") or 0, opened)
    except OSError as error:
        raise WriteError(
            "E_PORT", f"port {port} cannot be used: {error.strerror or error}", hint="omit --port"
        ) from error
