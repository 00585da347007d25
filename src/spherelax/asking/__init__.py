"""Questions on a page of a browser: what is asked next, how it is shown, and a local server."""
