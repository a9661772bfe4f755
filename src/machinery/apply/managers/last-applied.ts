import { isJsonObject, isSteps, jsonValue, type Steps } from '../../../foundation/index.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import { ConflictError } from '../merge/conflict.js';
import type { Managers } from '../merge/managers.js';
import type { Type } from '../typed/type.js';
import type { ApplyOperation, ApplyResult, FieldManagerRule, UpdateOperation } from './chain.js';
import { rethrowRefusal } from './failure.js';
import { annotationOf, type ClientSideApply } from './last-applied-annotation.js';

/**
 * Lets the command-line tool move from client-side to server-side apply: forces an apply whose only conflicts are on
 * fields that the tool applied last, according to its annotation, and whose values have not changed since.
 */
export class LastAppliedMigration implements FieldManagerRule {
  readonly #next: FieldManagerRule;
  readonly #clientSide: ClientSideApply;
  readonly #apiVersion: string;
  readonly #type: Type;

  constructor(next: FieldManagerRule, clientSide: ClientSideApply, apiVersion: string, type: Type) {
    this.#next = next;
    this.#clientSide = clientSide;
    this.#apiVersion = apiVersion;
    this.#type = type;
  }

  *update(operation: UpdateOperation): Steps<Managers> {
    return yield* this.#next.update(operation);
  }

  *apply(operation: ApplyOperation): Steps<ApplyResult> {
    try {
      return yield* this.#next.apply(operation);
    } catch (error) {
      if (operation.manager !== this.#clientSide.manager || !(error instanceof ConflictError)) throw error;
      const allowed = yield* this.#allowedConflicts(operation);
      if (allowed === undefined) throw error;
      const rest = yield* error.without(operation.pace, allowed);
      if (rest !== undefined) throw rest;
    }
    return yield* this.#next.apply({ ...operation, force: true });
  }

  /**
   * Returns the fields that the client applied last and that have not changed since; undefined without a valid
   * annotation.
   */
  *#allowedConflicts({ pace, live }: ApplyOperation): Steps<FieldSet | undefined> {
    const annotation = annotationOf(live, this.#clientSide);
    if (annotation === '') return undefined;
    try {
      const lastApplied = jsonValue(annotation);
      if (!isJsonObject(lastApplied) || lastApplied['apiVersion'] !== this.#apiVersion) return undefined;
      const validating = pace.validate(lastApplied, this.#type, {});
      if (isSteps(validating)) yield* validating;
      const comparing = pace.compare(lastApplied, live, this.#type);
      const { added, modified, removed } = isSteps(comparing) ? yield* comparing : comparing;
      const owning = pace.toFieldSet(lastApplied, this.#type);
      const owned = isSteps(owning) ? yield* owning : owning;
      const changing = pace.unionOf([modified, added, removed]);
      const unchanged = pace.difference(owned, isSteps(changing) ? yield* changing : changing);
      return isSteps(unchanged) ? yield* unchanged : unchanged;
    } catch (error) {
      rethrowRefusal(error);
      // An annotation that is not an object of this kind allows nothing, and the conflict remains.
      return undefined;
    }
  }
}
