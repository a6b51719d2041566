"""`scratchwork serve`: the page and the API."""

from typing import Annotated

import typer

from scratchwork.cli.options import BeamOption, ModelOption


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes one that is free.")
    ] = 8000,
    model: ModelOption = None,
    beam: BeamOption = None,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="SCRATCHWORK_TOKEN", help="Ask for this bearer token on POST and /metrics."
        ),
    ] = None,
    open: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve a page to solve, audit and practise, and the API behind it.

    Example: scratchwork serve --port 8000 --open
    """
    from functools import partial

    from scratchwork.errors import UserError
    from scratchwork.model_folder import default_model, model_folder
    from scratchwork.solving import search_of

    try:
        from scratchwork.serving.app import create_app
        from scratchwork.serving.running import run
    except ModuleNotFoundError as error:
        if error.name not in ("fastapi", "uvicorn", "pydantic", "starlette"):
            raise
        message = f"serving needs {error.name}: pip install 'scratchwork[serve]'"
        raise UserError(message) from error

    if token is not None and not (token.strip() and token.isascii()):
        raise UserError("--token is empty, or not plain ASCII text")
    chosen = model or default_model()
    if chosen is None:
        app = create_app(token=token)
    else:
        folder = model_folder(chosen)
        load = partial(search_of, folder, "auto", beam)
        app = create_app(load, model=folder.resolve().name, token=token)
    run(app, host, port, opens=open)
