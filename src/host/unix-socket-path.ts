// The path of a Unix socket that was handed over. Node's `server.address()` tells it only of sockets that
// node itself has bound; its diagnostic report tells it of all (`libuv`, `localEndpoint`).

type Reporter = Pick<typeof process.report, 'getReport'>;

/** The path of the Unix socket that this process listens on as descriptor `fd`; `@…` where it has no file, `?` where it is not known. */
export function unixSocketPath(fd: number | undefined, reporter: Reporter = withoutNetwork()): string {
  const { libuv }: { libuv?: unknown } = reporter.getReport();
  const handles: readonly unknown[] = Array.isArray(libuv) ? libuv : [];
  for (const handle of handles) {
    const { fd: itsFd, localEndpoint }: { fd?: unknown; localEndpoint?: unknown } = Object(handle);
    if (itsFd === fd && typeof localEndpoint === 'string') return localEndpoint.replace(/^\0/, '@');
  }
  return '?';
}

// The names of the addresses in the report would be asked for over the network.
function withoutNetwork(): Reporter {
  return Object.assign(process.report, { excludeNetwork: true });
}
