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
  /** Maximum number of objects that follow the rule. */
  readonly first: number;
  readonly #hits = new Set<string>();
  readonly #remove: (rule: Rule<Item, Plan>) => void;

  constructor(matches: Predicate<Item>, plan: Plan, first: number, remove: (rule: Rule<Item, Plan>) => void) {
    this.matches = matches;
    this.plan = plan;
    this.first = first;
    this.#remove = remove;
  }

  get hits(): number {
    return this.#hits.size;
  }

  /** The uids of the objects that have followed the rule. */
  get hitUids(): Iterable<string> {
    return this.#hits;
  }

  /** Returns whether an object may follow the rule: it does already, or not enough others do. */
  admits(uid: string): boolean {
    return this.#hits.size < this.first || this.#hits.has(uid);
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
  readonly #uidOf: (item: Item) => string;

  /** @param uidOf returns the uid of an object, by which it is counted */
  constructor(uidOf: (item: Item) => string) {
    this.#uidOf = uidOf;
  }

  /** Registers a function that is called after each change of the rules. */
  onChange(changed: () => void): void {
    this.#listeners.push(changed);
  }

  /** Returns a book with the same rules and hits. Stopping a rule of one book has no effect on the other. */
  copy(): RuleBook<Item, Plan> {
    const book = new RuleBook<Item, Plan>(this.#uidOf);
    for (const rule of [...this.#rules].reverse()) {
      const copy = book.add(rule.matches, rule.plan, rule.first);
      for (const uid of rule.hitUids) copy.hit(uid);
    }
    return book;
  }

  /** @param first maximum number of objects that follow the rule; default all */
  add(matches: Predicate<Item>, plan: Plan, first = Infinity): Rule<Item, Plan> {
    const rule = new Rule<Item, Plan>(matches, plan, first, (stopped) => {
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
    return this.#rules.find((rule) => accepts(rule.plan) && rule.matches(item) && rule.admits(this.#uidOf(item)));
  }
}
