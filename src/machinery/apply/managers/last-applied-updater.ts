import type { Steps } from '../../../foundation/index.js';
import type { Managers } from '../merge/managers.js';
import type { ApplyOperation, ApplyResult, FieldManagerRule, UpdateOperation } from './chain.js';
import { annotationOf, lastAppliedText, withAnnotation, type ClientSideApply } from './last-applied-annotation.js';

/** Updates an existing last-applied annotation, so that the client can return to client-side apply. */
export class LastAppliedUpdater implements FieldManagerRule {
  readonly #next: FieldManagerRule;
  readonly #clientSide: ClientSideApply;

  constructor(next: FieldManagerRule, clientSide: ClientSideApply) {
    this.#next = next;
    this.#clientSide = clientSide;
  }

  *update(operation: UpdateOperation): Steps<Managers> {
    return yield* this.#next.update(operation);
  }

  *apply(operation: ApplyOperation): Steps<ApplyResult> {
    const result = yield* this.#next.apply(operation);
    const object = result.object ?? operation.live;
    if (operation.manager !== this.#clientSide.manager) return result;
    const before = annotationOf(object, this.#clientSide);
    if (before === '') return result;
    const value = lastAppliedText(operation.applied, this.#clientSide);
    if (before === value) return result;
    return { object: withAnnotation(object, this.#clientSide, value), managers: result.managers };
  }
}
