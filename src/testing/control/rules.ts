/**
 * The rules of a server that were added by the control API, by their ids: fault rules, and those of its simulation.
 *
 * @module
 */
import { ApiError, errors, isJsonObject, type JsonObject, type JsonValue } from '../../foundation/index.js';
import type { ControlledRule } from './controlled-server.js';
import type { Call } from './route.js';

/** The part of a server that its rules of one sort belong to. */
interface RuleHolder {
  /** @throws TypeError that names the invalid member */
  add(rule: JsonObject): ControlledRule;
}

/** The rules of one sort. */
export class Rules {
  readonly #name: string;
  readonly #rules = new Map<string, ControlledRule>();

  /** @param name of a rule of this sort, in errors: `fault rule` */
  constructor(name: string) {
    this.#name = name;
  }

  /** Returns all rules, as the control API shows them. */
  list(): { readonly items: JsonObject[] } {
    return { items: [...this.#rules.keys()].map((id) => this.#shown(id)) };
  }

  /** Adds the rule in a body, and returns it as the control API shows it. @throws ApiError 400 for another body */
  add(holder: RuleHolder, body: JsonValue | undefined, servers: Call['servers']): JsonObject {
    if (!isJsonObject(body)) throw errors.badRequest(`the body must be a ${this.#name}: a JSON object`);
    const rule = holder.add(body);
    const id = servers.nextRuleId();
    this.#rules.set(id, rule);
    return this.#shown(id);
  }

  /** Removes a rule, and returns it as the control API shows it. @throws ApiError 404 */
  remove(id: string): JsonObject {
    const removed = this.#shown(id);
    this.#rules.get(id)?.remove();
    this.#rules.delete(id);
    return removed;
  }

  /** Removes all rules. */
  removeAll(): void {
    for (const rule of this.#rules.values()) rule.remove();
    this.forget();
  }

  /** Forgets all rules, which the server has removed itself. */
  forget(): void {
    this.#rules.clear();
  }

  #shown(id: string): JsonObject {
    const rule = this.#rules.get(id);
    if (rule === undefined)
      throw new ApiError({ message: `${this.#name} ${JSON.stringify(id)} not found`, reason: 'NotFound', code: 404 });
    return { id, hits: rule.hits, rule: rule.rule };
  }
}
