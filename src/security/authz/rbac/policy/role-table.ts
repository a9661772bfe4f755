import type { PolicyRule, RoleObject } from '../types.js';
import { CompiledRules, type CompileAllowance } from './compiled-rules.js';
import { keyOf, replaceAll, type PolicyPart } from './policy-part.js';
import type { RuleAttributes } from './rule-match.js';
import { SteadyMap } from './steady-map.js';

/** A role that exists or that bindings refer to. All its bindings share the entry and see its changes. */
export class RoleEntry {
  readonly namespace: string;
  readonly name: string;
  /** Number of bindings that refer to it. */
  bindings = 0;
  #rules: readonly PolicyRule[] | undefined;
  #compiled: CompiledRules | undefined;

  constructor(namespace: string, name: string) {
    this.namespace = namespace;
    this.name = name;
  }

  /** Rules; undefined while the role does not exist. */
  get rules(): readonly PolicyRule[] | undefined {
    return this.#rules;
  }

  set rules(rules: readonly PolicyRule[] | undefined) {
    this.#rules = rules;
    this.#compiled = undefined;
  }

  /**
   * True when the role exists and one of its rules allows the request. Each decision compiles as many further rules as
   * it may.
   */
  allows(attributes: RuleAttributes, combined: string, allowance: CompileAllowance): boolean {
    if (this.#rules === undefined) return false;
    if (this.#compiled === undefined) this.#compiled = new CompiledRules(this.#rules, allowance);
    else this.#compiled.compile(allowance);
    return this.#compiled.allow(attributes, combined);
  }
}

/** The roles of one kind. */
export class RoleTable implements PolicyPart<RoleObject> {
  readonly #entries = new SteadyMap<RoleEntry>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  set({ metadata: { namespace = '', name = '' }, rules }: RoleObject): void {
    const entry = this.#entry(namespace, name);
    if (entry.rules === undefined) this.#size += 1;
    entry.rules = rules ?? [];
  }

  delete(namespace: string, name: string): boolean {
    const entry = this.#entries.get(keyOf(namespace, name));
    if (entry?.rules === undefined) return false;
    entry.rules = undefined;
    this.#size -= 1;
    this.#forget(entry);
    return true;
  }

  replace(roles: Iterable<RoleObject>): void {
    replaceAll(this, this.#entries.values(), roles);
  }

  /** Returns the rules of a role, or undefined when it does not exist. */
  rules(namespace: string, name: string): readonly PolicyRule[] | undefined {
    return this.#entries.get(keyOf(namespace, name))?.rules;
  }

  /** Returns the role of a binding, existing or missing. Each call needs one {@link release}. */
  acquire(namespace: string, name: string): RoleEntry {
    const entry = this.#entry(namespace, name);
    entry.bindings += 1;
    return entry;
  }

  /** Releases the role of a deleted binding. */
  release(entry: RoleEntry): void {
    entry.bindings -= 1;
    this.#forget(entry);
  }

  #entry(namespace: string, name: string): RoleEntry {
    const key = keyOf(namespace, name);
    let entry = this.#entries.get(key);
    if (entry === undefined) this.#entries.set(key, (entry = new RoleEntry(namespace, name)));
    return entry;
  }

  #forget(entry: RoleEntry): void {
    if (entry.bindings === 0 && entry.rules === undefined) this.#entries.delete(keyOf(entry.namespace, entry.name));
  }
}
