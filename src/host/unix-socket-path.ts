// The path of a Unix socket that was handed over. Node's `server.address()` has it only for sockets that node
// itself has bound; node's diagnostic report has it for all (`libuv`, `localEndpoint`).

type Reporter = Pick<typeof process.report, 'getReport'>;

/**
 * The path of the Unix socket with descriptor `fd` in this process: `@` and a name for an abstract socket, which
 * has no file, and `?` when the path is unknown.
 */
export function unixSocketPath(fd: number | undefined, reporter: Reporter = withoutNetwork()): string {
  const { libuv }: { libuv?: unknown } = reporter.getReport();
  const handles: readonly unknown[] = Array.isArray(libuv) ? libuv : [];
  for (const handle of handles) {
    const { fd: itsFd, localEndpoint }: { fd?: unknown; localEndpoint?: unknown } = Object(handle);
    if (itsFd === fd && typeof localEndpoint === 'string') return localEndpoint.replace(/^\0/, '@');
  }
  return '?';
}

// Otherwise the report would contain host names, and node would ask DNS servers for them.
function withoutNetwork(): Reporter {
  return Object.assign(process.report, { excludeNetwork: true });
}
