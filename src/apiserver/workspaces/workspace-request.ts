/** A path below `/clusters`. */
export interface WorkspacePath {
  readonly workspace: string;
  /** Path in the workspace, percent-encoding kept. */
  readonly path: string;
}

const CLUSTERS = '/clusters/';

/** Splits `/clusters/<name>/…`; undefined for another path. */
export function splitWorkspacePath(path: string): WorkspacePath | undefined {
  if (!path.startsWith(CLUSTERS)) return undefined;
  const end = path.indexOf('/', CLUSTERS.length);
  return end < 0
    ? { workspace: path.slice(CLUSTERS.length), path: '/' }
    : { workspace: path.slice(CLUSTERS.length, end), path: path.slice(end) };
}

/** Returns the path of a workspace. */
export const workspacePath = (name: string): string => CLUSTERS + name;
