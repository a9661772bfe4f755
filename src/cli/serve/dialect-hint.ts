import { dialects, type Dialect } from '../../names/index.js';
import type { Logger } from '../../meta/logger.js';

const GROUPS = '/apis/';

/**
 * Tells, once, that clients ask for the groups of another dialect, and with which flag they are served. Such a client gets a 404 that
 * does not say why.
 *
 * @returns what is called with the path of each request
 */
export function dialectHint(own: Dialect, logger: Logger): (path: string) => void {
  const others = [...dialects.values()].filter(({ groupSuffix }) => groupSuffix !== own.groupSuffix);
  let told = false;
  return (path) => {
    if (told || !path.startsWith(GROUPS)) return;
    const end = path.indexOf('/', GROUPS.length);
    const group = path.slice(GROUPS.length, end < 0 ? undefined : end);
    const meant = others.find(({ groupSuffix }) => group.endsWith(`.${groupSuffix}`));
    if (meant === undefined) return;
    told = true;
    logger.info(
      `a client asks for the API group ${group}, which this server does not have: start it with --dialect ${meant.name} for the names that such clients know`,
      { dialect: own.name },
    );
  };
}
