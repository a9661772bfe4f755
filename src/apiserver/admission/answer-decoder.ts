import type { DecodeAnswer } from '../../foundation/index.js';
import { bodyDecodeLimits, readJson, TooManyParts, type ServerLimits } from '../../server/index.js';

/** Returns what decodes the responses of webhooks, within the limits of request bodies. */
export function answerDecoder(limits: Pick<ServerLimits, 'bodyContainers'>): DecodeAnswer {
  const decodeLimits = bodyDecodeLimits(limits);
  return async (body, work) => {
    try {
      const { value } = await readJson(body, decodeLimits, { work });
      return value;
    } catch (error) {
      // The status is that of a request body.
      if (!(error instanceof TooManyParts)) throw error;
      throw new Error(`the response has ${error.parts}`, { cause: error });
    }
  };
}
