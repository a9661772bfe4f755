import type { JsonObject, JsonValue } from '../../meta/json.js';
import { shareTurn } from '../../meta/turn.js';

/** Depth of the members that are written in one step: the schemas of a document of version 3. */
const STEP_DEPTH = 3;

/** Writes a document as JSON, in steps that leave the event loop free in between. */
export async function documentText(document: JsonObject): Promise<string> {
  const parts: string[] = [];
  await addText(parts, document, STEP_DEPTH);
  parts.push('\n');
  return parts.join('');
}

async function addText(parts: string[], value: JsonValue, depth: number): Promise<void> {
  if (depth === 0 || !isObject(value)) {
    const turn = shareTurn();
    if (turn !== undefined) await turn;
    parts.push(JSON.stringify(value));
    return;
  }
  let separator = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    parts.push(separator, JSON.stringify(name), ':');
    await addText(parts, member, depth - 1);
    separator = ',';
  }
  parts.push(separator === '{' ? '{}' : '}');
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
