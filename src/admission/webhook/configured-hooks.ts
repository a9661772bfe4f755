/**
 * The webhooks of one stored configuration, of which there may be thousands. A webhook is made when a route is first found
 * that its rules match; the others cost their record.
 *
 * @module
 */
import { equalJson, type Steps, type Work } from '../../foundation/index.js';
import type { MatchResources } from '../matching/match-resources.js';
import { type RequestRoute } from '../matching/match-resources.js';
import type { Hook, RouteHook, WebhookPhase } from './hook.js';
import { configuredHook, hasRules, matchOf, type HookTools, type StoredWebhook } from './make-hook.js';

/** The parts of {@link ConfiguredHooks}. */
interface ConfiguredHooksParts {
  readonly phase: WebhookPhase;
  /** Name of the configuration. */
  readonly name: string;
  readonly webhooks: readonly StoredWebhook[];
  readonly tools: HookTools;
  /** The former version of the configuration. A webhook that is the same stays compiled. */
  readonly before: ConfiguredHooks | undefined;
}

/** Units of work to look at a webhook, and to compare it with its former version. */
const WEBHOOK_UNITS = 20;
const COMPARE_UNITS = 100;

/** The webhooks of a configuration. */
export class ConfiguredHooks {
  readonly #parts: Omit<ConfiguredHooksParts, 'before'>;
  /** Those that have been made, in their places. */
  readonly #made: (Hook | undefined)[] = [];
  readonly #matches: (MatchResources | undefined)[] = [];
  /** The former version, until its webhooks that are the same have been taken over. */
  #before: ConfiguredHooks | undefined;
  /** Tell apart the webhooks of a server; undefined until a route is asked for. */
  #uids: readonly string[] | undefined;

  constructor({ before, ...parts }: ConfiguredHooksParts) {
    this.#parts = parts;
    this.#before = before !== undefined && before.#made.length === 0 ? before.#before : before;
    if (this.#before !== undefined) this.#before.#before = undefined;
  }

  /** Number of the webhooks. */
  get length(): number {
    return this.#parts.webhooks.length;
  }

  /**
   * Adds the webhooks that can match on a route, in their order.
   *
   * @param first index of the first webhook of this configuration among all of the phase
   */
  *addOnRoute(found: RouteHook[], first: number, route: RequestRoute, work: Work): Steps<void> {
    const uids = (this.#uids ??= yield* uidsOf(this.#parts, work));
    yield* this.#takeOver(uids, work);
    for (const [index, stored] of this.#parts.webhooks.entries()) {
      if (work.spend(WEBHOOK_UNITS)) yield;
      const match = (this.#matches[index] ??= matchOf(stored));
      const matched = hasRules(stored) ? yield* match.onRoute(route, work) : undefined;
      if (matched === undefined) continue;
      const hook = (this.#made[index] ??= this.#make(stored, uids[index] ?? '', match));
      yield* hook.match.prepare(work);
      found.push({ hook, index: first + index, route: matched });
    }
  }

  #make(stored: StoredWebhook, uid: string, match: MatchResources): Hook {
    const { phase, name: configuration, tools } = this.#parts;
    return configuredHook({ phase, configuration, uid, match }, stored, tools);
  }

  *#takeOver(uids: readonly string[], work: Work): Steps<void> {
    const before = this.#before;
    if (before === undefined) return;
    for (const [index, stored] of this.#parts.webhooks.entries()) {
      const hook = before.#made[index];
      if (hook?.uid !== uids[index]) continue;
      if (work.spend(COMPARE_UNITS)) yield;
      if (equalJson({ ...before.#parts.webhooks[index] }, { ...stored })) this.#made[index] ??= hook;
    }
    this.#before = undefined;
  }
}

/** Numbers the webhooks of the same name. */
function* uidsOf({ name: configuration, webhooks }: Omit<ConfiguredHooksParts, 'before'>, work: Work): Steps<string[]> {
  const counts = new Map<string, number>();
  const uids: string[] = [];
  for (const { name } of webhooks) {
    if (work.spend(WEBHOOK_UNITS)) yield;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    uids.push(`${configuration}/${name}/${count}`);
  }
  return uids;
}
