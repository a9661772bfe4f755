import { errors, type Steps } from '../../../foundation/index.js';
import type { Managers } from '../merge/managers.js';
import type { ApplyOperation, ApplyResult, FieldManagerRule, UpdateOperation } from './chain.js';
import { kindText } from './failure.js';

/** Refuses intents whose kind or version differs from the request's. The decoder checks other writes. */
export class VersionCheck implements FieldManagerRule {
  readonly #next: FieldManagerRule;
  readonly #kind: string;

  /** @param kind the expected kind, as {@link kindText} writes it */
  constructor(next: FieldManagerRule, kind: string) {
    this.#next = next;
    this.#kind = kind;
  }

  *update(operation: UpdateOperation): Steps<Managers> {
    return yield* this.#next.update(operation);
  }

  *apply(operation: ApplyOperation): Steps<ApplyResult> {
    const kind = kindText(operation.applied);
    if (kind !== this.#kind) throw errors.badRequest(`invalid object type: ${kind}`);
    return yield* this.#next.apply(operation);
  }
}
