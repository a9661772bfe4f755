import type { Predicate } from './match.js';

/** A rule of a test. `using` stops it at the end of a block. */
export interface SimulationRule extends Disposable {
  /** Number of objects that have followed the rule. An object counts once. */
  readonly hits: number;
  /**
   * Removes the rule. Objects that follow it follow the next rule that matches them, or none, as far as they can: a
   * container in `CrashLoopBackOff` starts again, a pod that has failed stays so.
   */
  stop(): void;
}

/** A rule and the objects that follow it. */
export class Rule<Item, Plan> implements SimulationRule {
  readonly matches: Predicate<Item>;
  readonly plan: Plan;
  readonly #hits = new Set<string>();
  readonly #remove: (rule: Rule<Item, Plan>) => void;

  constructor(matches: Predicate<Item>, plan: Plan, remove: (rule: Rule<Item, Plan>) => void) {
    this.matches = matches;
    this.plan = plan;
    this.#remove = remove;
  }

  get hits(): number {
    return this.#hits.size;
  }

  /** Counts an object that follows the rule. */
  hit(uid: string): void {
    this.#hits.add(uid);
  }

  stop(): void {
    this.#remove(this);
  }

  [Symbol.dispose](): void {
    this.stop();
  }
}

/** The rules about a kind of object. The newest rule that matches an object counts. */
export class RuleBook<Item, Plan> {
  #rules: readonly Rule<Item, Plan>[] = [];
  readonly #listeners: (() => void)[] = [];

  /** Registers a function that is called after each change of the rules. */
  onChange(changed: () => void): void {
    this.#listeners.push(changed);
  }

  /** Returns a book with the same rules. Stopping a rule of one book has no effect on the other. */
  copy(): RuleBook<Item, Plan> {
    const book = new RuleBook<Item, Plan>();
    for (const { matches, plan } of [...this.#rules].reverse()) book.add(matches, plan);
    return book;
  }

  add(matches: Predicate<Item>, plan: Plan): Rule<Item, Plan> {
    const rule = new Rule<Item, Plan>(matches, plan, (stopped) => {
      if (!this.#rules.includes(stopped)) return;
      this.#rules = this.#rules.filter((other) => other !== stopped);
      this.#announce();
    });
    this.#rules = [rule, ...this.#rules];
    this.#announce();
    return rule;
  }

  #announce(): void {
    for (const changed of this.#listeners) changed();
  }

  /** Whether there are no rules. */
  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** Returns the newest rule that matches an object and, if given, another condition. */
  find(item: Item, accepts: (plan: Plan) => boolean = () => true): Rule<Item, Plan> | undefined {
    return this.#rules.find((rule) => accepts(rule.plan) && rule.matches(item));
  }
}
