import { equalJson } from '../../foundation/index.js';
import type { AdmissionAttributes, Catalogue } from '../../registry/index.js';
import { isAdmissionConfiguration } from '../matching/exempt.js';
import type { RequestRoute } from '../matching/match-resources.js';
import { RouteCache } from '../matching/route-cache.js';
import type { Hook, RouteHook, WebhookPhase } from './hook.js';
import { configuredHooks, type HookTools, type StoredWebhook } from './make-hook.js';

/** A stored configuration with its webhooks. */
interface Configuration {
  readonly stored: readonly StoredWebhook[];
  readonly hooks: readonly Hook[];
}

/** The webhooks of a phase: those that are functions, then those of the configurations by name. */
export class WebhookIndex {
  readonly #phase: WebhookPhase;
  readonly #functions: readonly Hook[];
  readonly #tools: HookTools;
  readonly #configurations = new Map<string, Configuration>();
  readonly #routes: RouteCache<RouteHook>;

  constructor(
    phase: WebhookPhase,
    functions: readonly Hook[],
    tools: HookTools & { readonly catalogue: Pick<Catalogue, 'resources'> },
  ) {
    this.#phase = phase;
    this.#functions = functions.filter((hook) => hook.phase === phase);
    this.#tools = tools;
    this.#routes = new RouteCache(tools.catalogue, (route) => this.#onRoute(route));
  }

  /** Adds or replaces a configuration. One whose webhooks are the same stays compiled. */
  setConfiguration(name: string, webhooks: readonly StoredWebhook[]): void {
    const known = this.#configurations.get(name);
    if (known !== undefined && equalJson([...known.stored], [...webhooks])) return;
    const hooks = configuredHooks(this.#phase, name, webhooks, this.#tools);
    this.#configurations.set(name, { stored: webhooks, hooks });
    this.#routes.forget();
  }

  /** Removes a configuration. */
  deleteConfiguration(name: string): void {
    this.#configurations.delete(name);
    this.#routes.forget();
  }

  /** Returns the webhooks that can match a request, in the order of their calls. */
  of(attributes: AdmissionAttributes): readonly RouteHook[] {
    return this.#functions.length === 0 && this.#configurations.size === 0 ? [] : this.#routes.of(attributes);
  }

  #onRoute(route: RequestRoute): readonly RouteHook[] {
    if (isAdmissionConfiguration(route.requested.info.definition)) return [];
    const names = [...this.#configurations.keys()].sort();
    const hooks = [...this.#functions, ...names.flatMap((name) => this.#configurations.get(name)?.hooks ?? [])];
    return hooks.flatMap((hook, index): RouteHook[] => {
      const matched = hook.hasRules ? hook.match.onRoute(route) : undefined;
      return matched === undefined ? [] : [{ hook, index, route: matched }];
    });
  }
}
