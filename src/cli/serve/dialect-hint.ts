import { dialects, type Dialect } from '../../names/index.js';
import type { Logger } from '../../meta/logger.js';

const GROUPS = '/apis/';

/**
 * Logs once that a client requests API groups of another dialect, and which flag serves them. The client itself gets a
 * 404 without a reason.
 *
 * @returns a function to call with the path of each request
 */
export function dialectHint(own: Dialect, logger: Logger): (path: string) => void {
  const others = [...dialects.values()].filter(({ groupSuffix }) => groupSuffix !== own.groupSuffix);
  let logged = false;
  return (path) => {
    if (logged || !path.startsWith(GROUPS)) return;
    const end = path.indexOf('/', GROUPS.length);
    const group = path.slice(GROUPS.length, end < 0 ? undefined : end);
    const other = others.find(({ groupSuffix }) => group.endsWith(`.${groupSuffix}`));
    if (other === undefined) return;
    logged = true;
    logger.info(
      `a client requests the API group ${group}, which this server does not serve: start the server with --dialect ${other.name} to serve such clients`,
      { dialect: own.name },
    );
  };
}
