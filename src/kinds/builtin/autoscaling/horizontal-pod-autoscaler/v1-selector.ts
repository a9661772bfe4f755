import { definedOnly, isArray, isJsonObject, type JsonValue } from '../../../../foundation/index.js';
import type { metaV1 } from '../../../types/index.js';
import { FormProblem, type AnnotationObject } from './annotation-json.js';

function readTexts(value: JsonValue | undefined): string[] | undefined {
  if (value === undefined) return undefined;
  if (!isArray(value)) throw new FormProblem('a list of texts is expected');
  return value.map((item) => {
    if (typeof item !== 'string') throw new FormProblem('a text is expected');
    return item;
  });
}

function readLabels(value: JsonValue | undefined): Record<string, string> | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw new FormProblem('an object of texts is expected');
  const labels = new Map<string, string>();
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string') throw new FormProblem('a text is expected');
    labels.set(key, text);
  }
  return Object.fromEntries(labels);
}

/** Reads the selector of a metric in an annotation. @throws FormProblem for another value */
export function readSelector(selector: AnnotationObject | undefined): metaV1.LabelSelector | undefined {
  if (selector === undefined) return undefined;
  const matchExpressions = selector.list('matchExpressions')?.map((expression) => ({
    key: expression.text('key'),
    operator: expression.text('operator'),
    ...definedOnly({ values: readTexts(expression.value('values')) }),
  }));
  return definedOnly({ matchLabels: readLabels(selector.value('matchLabels')), matchExpressions });
}
