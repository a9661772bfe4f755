import { importPageEndpoints } from '../../ui/late.js';
import type { PageEndpoints, PageParts } from '../../ui/index.js';
import {
  isPageEndpoint,
  type AddedRoutes,
  type ApiResponse,
  type Rbac,
  type RequestScope,
} from '../../server/index.js';

/** The parts of a server that its page uses. */
export interface ServedPageParts extends Omit<PageParts, 'ended' | 'takesCommands'> {
  /** Returns the signal that aborts when the server ends. */
  readonly ended: () => AbortSignal;
  /** Gets the roles of the page; undefined for a server without roles. */
  readonly rbac: Rbac | undefined;
}

/** The endpoints of the page of a server: none until a transport serves the page, and loaded then. */
export class ServedPage implements AddedRoutes {
  readonly #parts: ServedPageParts;
  #loaded: PageEndpoints | undefined;
  #loading: Promise<PageEndpoints> | undefined;
  #stopped = false;
  #takesCommands = false;

  constructor(parts: ServedPageParts) {
    this.#parts = parts;
  }

  get paths(): readonly string[] {
    return this.#loaded?.paths ?? [];
  }

  /**
   * Serves the endpoints from now on, and begins to record.
   *
   * @param takesCommands whether those of a test server are authorized
   * @returns a promise that resolves when they record
   */
  serve(takesCommands: boolean): Promise<unknown> {
    this.#takesCommands ||= takesCommands;
    this.#loading ??= this.#load();
    // The first request reports a failure.
    this.#loading.catch(() => undefined);
    return this.#loading;
  }

  stop(): void {
    this.#stopped = true;
    this.#loaded?.stop();
  }

  route(scope: RequestScope): Promise<ApiResponse | undefined> | undefined {
    if (this.#loading === undefined || !isPageEndpoint(scope.path)) return undefined;
    return this.#loaded === undefined ? this.#loading.then((loaded) => loaded.route(scope)) : this.#loaded.route(scope);
  }

  answered(scope: RequestScope, response: ApiResponse): void {
    this.#loaded?.answered(scope, response);
  }

  async #load(): Promise<PageEndpoints> {
    const { PageEndpoints } = await importPageEndpoints();
    const { rbac, ended, ...parts } = this.#parts;
    rbac?.servePage();
    const endpoints = new PageEndpoints({ ...parts, ended: ended(), takesCommands: () => this.#takesCommands });
    if (this.#stopped) return endpoints;
    this.#loaded = endpoints;
    await endpoints.start();
    return endpoints;
  }
}
