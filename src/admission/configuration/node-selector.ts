import { FieldErrorList, invalid, isJsonObject, required, type JsonValue } from '../../foundation/index.js';
import { readNodeSelector } from '../plugins/node-selector.js';
import type { PodNodeSelectorOptions } from '../plugins/pod-node-selector.js';
import { requireValid } from './require-valid.js';

const FIELD = 'podNodeSelectorPluginConfig';
const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector';

/** Reads the configuration of PodNodeSelector, which has no kind. @throws Error with all errors */
export function readPodNodeSelector(value: JsonValue): PodNodeSelectorOptions {
  const selectors = isJsonObject(value) ? value[FIELD] : undefined;
  if (selectors === undefined || selectors === null) throw new Error(String(required(FIELD)));
  if (!isJsonObject(selectors))
    throw new Error(String(invalid(FIELD, selectors, 'must be an object with a selector for each namespace')));
  const problems = new FieldErrorList();
  const read = new Map<string, string>();
  for (const [namespace, selector] of Object.entries(selectors)) {
    if (typeof selector === 'string' && readNodeSelector(selector) !== undefined) read.set(namespace, selector);
    else
      problems.push(
        invalid(`${FIELD}[${namespace}]`, selector, 'must be a selector of labels such as env=test,region=west'),
      );
  }
  requireValid(problems);
  const clusterDefault = read.get(CLUSTER_DEFAULT);
  read.delete(CLUSTER_DEFAULT);
  return { clusterDefault, allowed: Object.fromEntries(read) };
}
