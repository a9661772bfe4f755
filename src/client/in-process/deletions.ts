/**
 * The deletions of an in-process client.
 *
 * @module
 */
import { workOf } from '../../foundation/index.js';
import { deleteStatus } from '../../server/index.js';
import type { DeleteParameters, ListParameters } from '../client.js';
import { answerOf, copiesOf, listView } from './answers.js';
import { deleteOptions, sentOptions } from './call-input.js';
import { listOptions } from './list-options.js';
import { wholeObjects } from './object-form.js';
import type { RunningCall } from './running-call.js';

/** Deletes an object, or marks it for deletion. */
export async function deleteObject(running: RunningCall): Promise<unknown> {
  const { namespace, name, parameters: given } = running.call;
  const parameters: DeleteParameters = given;
  const operations = await running.start();
  const context = running.context();
  await sentOptions(running, parameters, workOf(context));
  const outcome = await operations.delete(context, namespace, name, deleteOptions(parameters));
  const status = deleteStatus(operations.store, outcome);
  if (status === undefined) return answerOf(wholeObjects, operations.store, outcome.record, running);
  running.interception?.answered(() => status);
  return status;
}

/** Deletes the objects that a list selects, and returns them. */
export async function deleteCollection(running: RunningCall): Promise<unknown[]> {
  const { namespace, parameters: given } = running.call;
  const parameters: ListParameters & DeleteParameters = given;
  const operations = await running.start();
  const context = running.context();
  await sentOptions(running, parameters, workOf(context));
  const page = await operations.deleteCollection(
    context,
    namespace,
    listOptions(operations.store.info, parameters),
    deleteOptions(parameters),
  );
  running.interception?.answered(() => listView(wholeObjects, operations.store, page));
  return copiesOf(wholeObjects, operations.store, page.records);
}
