import type { Steps, Work } from '../../foundation/index.js';
import type { AdmissionAttributes, Catalogue } from '../../registry/index.js';
import { isAdmissionConfiguration } from '../matching/exempt.js';
import type { RequestRoute } from '../matching/match-resources.js';
import { RouteCache } from '../matching/route-cache.js';
import type { Hook, RouteHook, WebhookPhase } from './hook.js';
import { ConfiguredHooks } from './configured-hooks.js';
import type { HookTools, StoredWebhook } from './make-hook.js';

/** The webhooks of a phase: those that are functions, then those of the configurations by name. */
export class WebhookIndex {
  readonly #phase: WebhookPhase;
  readonly #functions: readonly Hook[];
  readonly #tools: HookTools;
  readonly #configurations = new Map<string, ConfiguredHooks>();
  readonly #routes: RouteCache<RouteHook>;

  constructor(
    phase: WebhookPhase,
    functions: readonly Hook[],
    tools: HookTools & { readonly catalogue: Pick<Catalogue, 'resources'> },
  ) {
    this.#phase = phase;
    this.#functions = functions.filter((hook) => hook.phase === phase);
    this.#tools = tools;
    this.#routes = new RouteCache(tools.catalogue, (route, work) => this.#onRoute(route, work));
  }

  /** Adds or replaces a configuration. A webhook is made for the first request that it can match. */
  setConfiguration(name: string, webhooks: readonly StoredWebhook[]): void {
    const before = this.#configurations.get(name);
    const hooks = new ConfiguredHooks({ phase: this.#phase, name, webhooks, tools: this.#tools, before });
    this.#configurations.set(name, hooks);
    this.#routes.forget();
  }

  /** Removes a configuration. */
  deleteConfiguration(name: string): void {
    this.#configurations.delete(name);
    this.#routes.forget();
  }

  /** Returns the webhooks that can match a request, in the order of their calls; see {@link RouteCache.of}. */
  of(attributes: AdmissionAttributes): readonly RouteHook[] | Promise<readonly RouteHook[]> {
    return this.#functions.length === 0 && this.#configurations.size === 0 ? [] : this.#routes.of(attributes);
  }

  *#onRoute(route: RequestRoute, work: Work): Steps<readonly RouteHook[]> {
    if (isAdmissionConfiguration(route.requested.info.definition)) return [];
    const found: RouteHook[] = [];
    for (const [index, hook] of this.#functions.entries()) {
      const matched = hook.hasRules ? yield* hook.match.onRoute(route, work) : undefined;
      if (matched !== undefined) found.push({ hook, index, route: matched });
    }
    let first = this.#functions.length;
    for (const [, configuration] of [...this.#configurations].sort(byName)) {
      yield* configuration.addOnRoute(found, first, route, work);
      first += configuration.length;
    }
    return found;
  }
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;
