"""`scratchwork serve`: the page and the API."""

from typing import Annotated

import typer


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes one that is free.")
    ] = 8000,
    model: Annotated[
        str | None,
        typer.Option(help="A model's name or folder; without one, the one that is shipped."),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1000,
            help="How many programs to consider for a problem: the plans that the solver draws, or "
            "the beam of one of the paper's models. More take longer.",
        ),
    ] = None,
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
    from pathlib import Path

    from scratchwork.errors import UserError
    from scratchwork.model_folder import default_model, model_folder

    try:
        from scratchwork.serving.app import create_app
        from scratchwork.serving.running import run
    except ModuleNotFoundError as error:
        if error.name not in ("fastapi", "uvicorn", "pydantic", "starlette"):
            raise
        message = f"serving needs {error.name}: pip install 'scratchwork[serve]'"
        raise UserError(message) from error
    from scratchwork.serving.solving import ModelSolver

    if token is not None and not (token.strip() and token.isascii()):
        raise UserError("--token is empty, or not plain ASCII text")
    chosen = model or default_model()
    if chosen is None:
        app = create_app(token=token)
    else:
        model_folder(chosen)
        load = partial(ModelSolver, chosen, samples)
        app = create_app(load, model=Path(chosen).resolve().name, token=token)
    run(app, host, port, opens=open)
