/**
 * The reads of an in-process client.
 *
 * @module
 */
import { listMeta } from '../../registry/index.js';
import type { ListParameters, ObjectList } from '../client.js';
import { answerOf, copiesOf, listView } from './answers.js';
import { listOptions } from './list-options.js';
import { formOf } from './object-form.js';
import type { RunningCall } from './running-call.js';

/** Returns one object. */
export async function getObject(running: RunningCall): Promise<unknown> {
  const { namespace, name, form, parameters } = running.call;
  const { resourceVersion, signal }: ListParameters = parameters;
  const started = running.start();
  const operations = started instanceof Promise ? await started : started;
  const past = running.pastStore(operations);
  const store = past === undefined ? operations.store : await past;
  const record = await store.get(namespace, name, resourceVersion, signal);
  return answerOf(formOf(form), operations.store, record, running);
}

/** Returns a collection, or a page of it. */
export async function listObjects(running: RunningCall): Promise<ObjectList<unknown>> {
  const { namespace, form: name, parameters: given } = running.call;
  const parameters: ListParameters = given;
  const form = formOf(name);
  const operations = await running.start();
  const store = (await running.pastStore(operations)) ?? operations.store;
  const { onUnreadable, signal } = parameters;
  // A selector may have to read the whole object.
  const isRead = form.isPartial && parameters.labelSelector === undefined && parameters.fieldSelector === undefined;
  const options = listOptions(store.info, isRead ? { ...parameters, onUnreadable: undefined } : parameters);
  const page = await store.list(namespace, options, signal);
  running.interception?.answered(() => listView(form, store, page));
  const { apiVersion, listKind } = form.names(store);
  const items = await copiesOf(form, store, page.records, onUnreadable);
  return { apiVersion, kind: listKind, metadata: listMeta(page), items };
}
