/**
 * The mutating webhooks of a request: one after the other, each on what the former ones made of the object.
 *
 * Source: `admission/plugin/webhook/mutating/dispatcher.go` and `reinvocationcontext.go` of Kubernetes 1.31.
 *
 * @module
 */
import { equalInSlices, errors, messageOf, workOf, type JsonObject } from '../../foundation/index.js';
import { cloneInSlices } from '../../machinery/index.js';
import type { AdmissionAttributes } from '../../registry/index.js';
import { annotateFailedOpen, annotateMutation, annotatePatch } from './annotations.js';
import { callHook, failOrPass, measuredCall } from './call.js';
import { HookRequest, type DispatchParts } from './hook-request.js';
import type { RouteHook } from './hook.js';
import { MutableObject } from './mutable-object.js';

/** One request before the mutating webhooks, over both rounds of mutating admission. */
export class MutatingRequest {
  readonly #attributes: AdmissionAttributes;
  readonly #parts: DispatchParts;
  /** Webhooks that were called and are called again when the object changes. */
  #reinvocable = new Set<string>();
  /** Webhooks to call in the second round. */
  readonly #toReinvoke = new Set<string>();
  /** The object after the first round. */
  #output: JsonObject | undefined;

  constructor(attributes: AdmissionAttributes, parts: DispatchParts) {
    this.#attributes = attributes;
    this.#parts = parts;
  }

  /**
   * Calls the webhooks that match, in order.
   *
   * @returns `again` when one of them changed the object
   * @throws ApiError when one of them refuses the request, or cannot be called and its failure policy is Fail
   */
  async call(hooks: readonly RouteHook[], round: 0 | 1): Promise<'again' | undefined> {
    const attributes = this.#attributes;
    if (round === 1 && (await this.#changedSinceFirstRound())) this.#requireReinvocation();
    const request = new HookRequest(attributes, this.#parts);
    const object = new MutableObject(attributes, this.#parts.decode);
    let changed = false;
    const work = workOf(attributes.context);
    for (const one of hooks) {
      if (work.spend(one.hook.match.units)) await work.next('admission');
      if (round === 1 && !this.#toReinvoke.has(one.hook.uid)) continue;
      if (await this.#callOne(one, request, object, round)) changed = true;
    }
    try {
      await object.commit();
    } catch (error) {
      throw errors.internal(messageOf(error));
    }
    if (this.#reinvocable.size > 0 || this.#toReinvoke.size > 0) this.#output = await cloneInSlices(this.#object, work);
    return changed ? 'again' : undefined;
  }

  /** @returns whether the webhook changed the object */
  async #callOne(one: RouteHook, request: HookRequest, object: MutableObject, round: 0 | 1): Promise<boolean> {
    const { hook } = one;
    const { context } = this.#attributes;
    const found = await request.matched(one, (matched) => object.as(matched));
    if (found === undefined) return false;
    const { matched, objects } = found;
    let changed = false;
    try {
      changed = await measuredCall(hook, this.#attributes, this.#parts.meter, async () => {
        const verdict = await callHook(hook, this.#attributes, matched, objects, object.texts);
        const patched = await object.patch(hook, verdict, matched, objects);
        await annotatePatch(one, context, round, patched.patch);
        return patched.isChanged;
      });
    } catch (error) {
      failOrPass(hook, error, this.#parts);
      annotateFailedOpen(one, context, round);
      if (context.signal?.aborted === true) throw errors.timeout('request did not complete within requested timeout');
    } finally {
      annotateMutation(one, context, round, changed);
      if (changed) this.#requireReinvocation();
      if (hook.reinvocable) this.#reinvocable.add(hook.uid);
    }
    return changed;
  }

  get #object(): JsonObject {
    return (this.#attributes.object as JsonObject | undefined) ?? {};
  }

  async #changedSinceFirstRound(): Promise<boolean> {
    const { work } = this.#attributes.context;
    return this.#output !== undefined && !(await equalInSlices(work, this.#output, this.#object));
  }

  #requireReinvocation(): void {
    for (const uid of this.#reinvocable) this.#toReinvoke.add(uid);
    this.#reinvocable = new Set();
  }
}
