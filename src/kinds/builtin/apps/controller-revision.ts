import { FieldErrorList, parseApiVersion, required } from '../../../foundation/index.js';
import type { RequestContext, Strategy } from '../../../registry/index.js';
import type { appsV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { NONE } from '../shared/columns.js';
import { immutableFieldSteps, nonNegative } from '../shared/validate.js';

type StoredRevision = StoredKind<appsV1.ControllerRevision>;

function validateRevision({ data, revision }: StoredRevision, { work }: RequestContext): FieldErrorList {
  const errors = new FieldErrorList(work);
  if (data === undefined || data === null) errors.push(required('data', 'data is mandatory'));
  nonNegative(errors, 'revision', revision);
  return errors;
}

const strategy: Strategy<StoredRevision> = {
  validate: (object, context, old) => (old === undefined ? validateRevision(object, context) : []),
  *validateUpdate(object, old, context) {
    const errors = validateRevision(object, context);
    yield* immutableFieldSteps(errors, 'data', object.data, old.data);
    return errors;
  },
};

/** Returns the controlling owner of a revision: `statefulset.apps/web`. */
function controllerCell({ metadata }: StoredRevision): string {
  const controller = metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (controller === undefined) return NONE;
  const group = parseApiVersion(controller.apiVersion)?.group ?? '';
  return `${[controller.kind, ...(group === '' ? [] : [group])].join('.').toLowerCase()}/${controller.name}`;
}

/** The behaviour of ControllerRevisions. */
export const controllerRevisionBehaviour: Behaviour<appsV1.ControllerRevision> = {
  strategy,
  cells: { Controller: controllerCell, Revision: ({ revision }) => revision },
};
