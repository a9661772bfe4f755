import { dialects, type Dialect, type Logger } from '../../foundation/index.js';
import type { Catalogue } from '../../registry/index.js';
import type { RequestScope } from '../requests/request-scope.js';

/** Path prefix of API groups. */
const GROUPS = '/apis/';

/**
 * Finds requests for the API groups of another dialect. They fail like those for any unknown group, which tells nobody
 * that the server has the wrong dialect for its client.
 */
export class ForeignGroups {
  readonly #own: Dialect;
  readonly #others: readonly Dialect[];
  readonly #logger: Logger;
  readonly #catalogue: Pick<Catalogue, 'resources'>;
  #logged = false;

  constructor(own: Dialect, logger: Logger, catalogue: Pick<Catalogue, 'resources'>) {
    this.#own = own;
    this.#others = [...dialects.values()].filter(({ groupSuffix }) => groupSuffix !== own.groupSuffix);
    this.#logger = logger;
    this.#catalogue = catalogue;
  }

  /**
   * Warns the client of a request that failed, and logs the first one.
   *
   * @returns the text; undefined when the group of the path is not of another dialect
   */
  warn({ info: { path }, warn }: Pick<RequestScope, 'info' | 'warn'>): string | undefined {
    if (!path.startsWith(GROUPS)) return undefined;
    const end = path.indexOf('/', GROUPS.length);
    const group = path.slice(GROUPS.length, end < 0 ? undefined : end);
    const other = this.#others.find(({ groupSuffix }) => group.endsWith(`.${groupSuffix}`));
    // Definitions may have groups in the domain of another dialect.
    if (other === undefined || this.#catalogue.resources.some((info) => info.group === group)) return undefined;
    const text = `the API group ${group} belongs to the dialect ${other.name}, and this server has the dialect ${this.#own.name}: choose the other one for such clients (new ApiServer({ dialect: '${other.name}' }), serve --dialect ${other.name})`;
    if (!this.#logged) this.#logger.info(text);
    this.#logged = true;
    warn(text);
    return text;
  }
}
