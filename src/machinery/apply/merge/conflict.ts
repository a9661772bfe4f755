import { ApiError, goQuote, isSteps, type StatusCause, type Steps } from '../../../foundation/index.js';
import { pathText } from '../fieldpath/element.js';
import { unionOf, type FieldSet } from '../fieldpath/fieldset.js';
import { pathsInSteps } from '../fieldpath/paths.js';
import type { ManagerRecord } from './managers.js';
import type { Pace } from './pace.js';

/** Fields of other managers that an apply would change. */
export interface Conflict {
  /** Identifier of the other manager. */
  readonly identifier: string;
  readonly owner: ManagerRecord;
  readonly fields: FieldSet;
}

/** Units of work to write the texts of a field in conflict, and places of memory that its path and they take. */
const CAUSE_UNITS = 16;
const PATH_PLACES = 6;

/** Thrown by an apply that would change fields of other managers and is not forced. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  /** Sorted by the manager's identifier; at least one, none empty. */
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super('apply conflicts with other managers');
    this.conflicts = [...conflicts].sort((a, b) => (a.identifier < b.identifier ? -1 : 1));
  }

  /** All fields in conflict. */
  get fields(): FieldSet {
    return unionOf(this.conflicts.map((conflict) => conflict.fields));
  }

  /** Returns the conflicts that remain when conflicts on some fields are allowed; undefined when none remain. */
  *without(pace: Pace, allowed: FieldSet): Steps<ConflictError | undefined> {
    const rest: Conflict[] = [];
    for (const conflict of this.conflicts) {
      const subtracting = pace.difference(conflict.fields, allowed);
      const fields = isSteps(subtracting) ? yield* subtracting : subtracting;
      if (!pace.isEmpty(fields)) rest.push({ ...conflict, fields });
    }
    return rest.length === 0 ? undefined : new ConflictError(rest);
  }

  /** Returns the 409 response, with one cause for each field and manager in the order of the message. */
  *toApiError(pace: Pace): Steps<ApiError> {
    const causes: StatusCause[] = [];
    const lines: string[] = [];
    for (const { owner, fields } of this.conflicts) {
      const message = `conflict with ${ownerText(owner)}`;
      lines.push(`conflicts with ${ownerText(owner)}:`);
      const sorting = pace.sorted(fields);
      const members = yield* pathsInSteps(isSteps(sorting) ? yield* sorting : sorting, pace);
      pace.reserve(members.length * PATH_PLACES);
      for (const path of members) {
        if (pace.spend(CAUSE_UNITS)) yield;
        const field = pathText(path);
        lines.push(`- ${field}`);
        causes.push({ reason: 'FieldManagerConflict', message, field });
      }
    }
    const [only] = causes;
    const message =
      causes.length === 1 && only !== undefined
        ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
        : `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`;
    return new ApiError({ message, reason: 'Conflict', details: { causes }, code: 409 }, { cause: this });
  }
}

/** Formats a manager for messages. Only updaters show their version: an applier has one record for all versions. */
function ownerText({ manager, subresource, operation, apiVersion }: ManagerRecord): string {
  const name = subresource === '' ? goQuote(manager) : `${goQuote(manager)} with subresource ${goQuote(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
