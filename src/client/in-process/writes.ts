/**
 * The writes of an in-process client, except for deletions.
 *
 * @module
 */
import { cloneJson, loading, workOf, type JsonObject, type JsonValue } from '../../foundation/index.js';
import { once } from '../../kinds/index.js';
import { cloneInSlices } from '../../machinery/index.js';
import { importPatch } from '../../machinery/late.js';
import { changeByApply, changeByPatch, type ChangeTarget, type ResourceOperations } from '../../server/index.js';
import { APPLY_MEDIA_TYPE } from '../backend.js';
import type { WriteParameters } from '../client.js';
import type { ApplyParameters } from '../resources/patch-parameters.js';
import { answerOf } from './answers.js';
import { readInput } from './call-input.js';
import { wholeObjects } from './object-form.js';
import { CREATED, type RunningCall } from './running-call.js';

/** Loads the patch module with the first patch. */
const patches = once(() => loading(importPatch()));

/** Stores a new object, or runs an operation. */
export async function createObject(running: RunningCall): Promise<unknown> {
  const { namespace, name, body, parameters: given } = running.call;
  const parameters: WriteParameters = given;
  const started = running.start();
  const served = started instanceof Promise ? await started : started;
  const operations = operationsFor(served, running);
  const context = running.context();
  const reading = readInput(operations, body, context, parameters);
  const input = reading instanceof Promise ? await reading : reading;
  const recording = running.audit?.sent(input as JsonObject, workOf(context));
  if (recording !== undefined) await recording;
  const { dryRun, fieldManager } = parameters;
  // An operation is on the object with the name; another new object has none besides its own.
  const on = running.subresource === '' ? undefined : name;
  const record = await operations.create(context, namespace, input, { dryRun, fieldManager }, on);
  running.code = CREATED;
  return answerOf(wholeObjects, operations.store, record, running);
}

/** Replaces an object, or the part of it that belongs to a subresource. */
export async function updateObject(running: RunningCall): Promise<unknown> {
  const { namespace, name, body, parameters: given } = running.call;
  const parameters: WriteParameters = given;
  const served = await running.start();
  const context = running.context();
  const operations = operationsFor(served, running);
  const reading = readInput(operations, body, context, parameters);
  const input = reading instanceof Promise ? await reading : reading;
  const recording = running.audit?.sent(input as JsonObject, workOf(context));
  if (recording !== undefined) await recording;
  const outcome = await operations.update(
    context,
    namespace,
    name,
    () => cloneInSlices(input as JsonObject, context.work) as typeof input | Promise<typeof input>,
    {
      dryRun: parameters.dryRun,
      fieldManager: parameters.fieldManager,
      authorizeCreate: authorizeCreate(running),
      subresource: running.subresource,
      uid: input.metadata.uid,
    },
  );
  return answerOf(wholeObjects, operations.store, outcome.record, running);
}

/** Changes an object by a patch or an apply. */
export function patchObject(running: RunningCall): Promise<unknown> {
  return running.call.patchType === APPLY_MEDIA_TYPE ? applyIntent(running) : applyPatch(running);
}

async function applyPatch(running: RunningCall): Promise<unknown> {
  const { body, patchType } = running.call;
  const operations = operationsFor(await running.start(), running);
  const { patchTypeOf } = await patches();
  const type = patchTypeOf(patchType);
  if (type === undefined) throw new TypeError(`there is no patch type ${patchType}`);
  const patch = body as JsonValue;
  const context = running.context();
  const recording = running.audit?.sentPatch(patch, workOf(context));
  if (recording !== undefined) await recording;
  const document = { value: patch, duplicates: [], duplicateForm: 'path' } as const;
  const outcome = await changeByPatch(operations, context, targetOf(running), type, () => document);
  return answerOf(wholeObjects, operations.store, outcome.record, running);
}

async function applyIntent(running: RunningCall): Promise<unknown> {
  const { force = false, fieldManager = running.userAgent }: ApplyParameters = running.call.parameters;
  const operations = operationsFor(await running.start(), running);
  const { apiVersion, kind } = operations.store.info;
  const document = {
    // The caller may change the intent later.
    value: { apiVersion, kind, ...cloneJson(running.call.body as JsonObject) },
    duplicates: [],
    duplicateForm: 'path',
  } as const;
  const target = {
    force,
    ...targetOf(running),
    fieldManager,
    authorizeCreate: authorizeCreate(running),
  };
  const context = running.context();
  const recording = running.audit?.sentPatch(document.value, workOf(context));
  if (recording !== undefined) await recording;
  const outcome = await changeByApply(operations, context, target, document);
  if (outcome.old === undefined) running.code = CREATED;
  return answerOf(wholeObjects, operations.store, outcome.record, running);
}

/** A subresource may have objects of another kind. */
const operationsFor = (served: ResourceOperations, { subresource }: RunningCall): ResourceOperations =>
  served.operationSubresource(subresource) ?? served;

/** Returns the check of the verb `create` for a write that creates its object; none for the owner. */
function authorizeCreate(running: RunningCall): (() => Promise<void>) | undefined {
  if (running.call.client.user === undefined) return undefined;
  return async () => {
    await running.start('create');
  };
}

function targetOf({ call, subresource }: RunningCall): ChangeTarget {
  const { namespace, name, parameters: given } = call;
  const { dryRun, fieldManager, fieldValidation = 'Warn' }: WriteParameters = given;
  return { dryRun, fieldManager, namespace, name, subresource, fieldValidation, authorizeCreate: undefined };
}
