import { whenReady } from '../../foundation/index.js';
import type { AdmissionAttributes, Catalogue } from '../../registry/index.js';
import type { DispatchParts } from './hook-request.js';
import { functionHook, type HookTools } from './make-hook.js';
import { MutatingRequest } from './mutating.js';
import { callValidating } from './validating.js';
import type { WebhookDefinition } from './webhook-definition.js';
import { WebhookIndex } from './webhook-index.js';

export type { StoredWebhook } from './make-hook.js';

/** The parts that {@link AdmissionWebhooks} needs. */
export interface AdmissionWebhooksParts extends HookTools, DispatchParts {
  readonly catalogue: Pick<Catalogue, 'resources'>;
}

/** The admission webhooks of a server. */
export class AdmissionWebhooks {
  readonly mutating: WebhookIndex;
  readonly validating: WebhookIndex;
  readonly #parts: AdmissionWebhooksParts;
  /** The requests between their two rounds. */
  readonly #requests = new WeakMap<AdmissionAttributes, MutatingRequest>();

  /** @param functions webhooks that are functions of the process */
  constructor(functions: readonly WebhookDefinition[], parts: AdmissionWebhooksParts) {
    const hooks = functions.map((definition, index) => functionHook(definition, index, parts));
    this.mutating = new WebhookIndex('Mutating', hooks, parts);
    this.validating = new WebhookIndex('Validating', hooks, parts);
    this.#parts = parts;
  }

  /**
   * Calls the mutating webhooks that match a request.
   *
   * @returns undefined when none can match; `again` when the object was changed
   * @throws ApiError when a webhook refuses the request, or cannot be called and its failure policy is Fail
   */
  mutate(attributes: AdmissionAttributes, round: 0 | 1): undefined | 'again' | Promise<'again' | undefined> {
    return whenReady(this.mutating.of(attributes), (hooks) => {
      if (hooks.length === 0) return undefined;
      let request = this.#requests.get(attributes);
      if (request === undefined)
        this.#requests.set(attributes, (request = new MutatingRequest(attributes, this.#parts)));
      return request.call(hooks, round);
    });
  }

  /** Calls the validating webhooks that match a request; see {@link AdmissionWebhooks.mutate}. */
  validate(attributes: AdmissionAttributes): void | Promise<void> {
    return whenReady(this.validating.of(attributes), (hooks) =>
      hooks.length === 0 ? undefined : callValidating(attributes, hooks, this.#parts),
    );
  }
}
