/** Of many long bodies that arrive in one turn, the first are decoded in it. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { encodeUtf8 } from '../../../src/foundation/encoding/utf8.js';
import { UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';
import { defaultDecodeLimits, type DecodedDocument } from '../../../src/server/codec/codec.js';
import { readJson } from '../../../src/server/codec/json/json-decode.js';
import { readYaml } from '../../../src/server/codec/yaml/yaml.js';

const LENGTH = 80_000;

test.each<[string, string, (body: Uint8Array, work: Work) => DecodedDocument | Promise<DecodedDocument>]>([
  ['JSON', `{"a":"${'x'.repeat(LENGTH)}"}`, (body, work) => readJson(body, defaultDecodeLimits, { work })],
  ['YAML', `a: ${'x'.repeat(LENGTH)}\n`, (body, work) => readYaml(body, defaultDecodeLimits, work)],
  ['JSON as YAML', `{"a":"${'x'.repeat(LENGTH)}"}`, (body, work) => readYaml(body, defaultDecodeLimits, work)],
])('a long body of %s is not decoded in a turn that others have used up', async (_name, text, read) => {
  const body = encodeUtf8(text);
  const decode = vi.spyOn(TextDecoder.prototype, 'decode');
  onTestFinished(() => decode.mockRestore());
  let [isUsedUp, granted] = [true, (): void => undefined];
  const work: Work = {
    ...UNBOUNDED_WORK,
    spend: () => isUsedUp,
    next: () => new Promise((resolve) => (granted = resolve)),
  };
  const reading = read(body, work);
  expect(reading).toBeInstanceOf(Promise);
  expect(decode).not.toHaveBeenCalled();
  isUsedUp = false;
  granted();
  expect((await reading).value).toEqual({ a: 'x'.repeat(LENGTH) });
});
