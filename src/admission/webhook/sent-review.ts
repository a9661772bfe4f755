/**
 * The reviews that webhooks get. A request may be sent to many webhooks: the text of an object in it is made once.
 *
 * @module
 */
import {
  inSlices,
  isJsonObject,
  isLargeWork,
  jsonText,
  jsonTextSteps,
  type JsonObject,
  type Steps,
  type Work,
} from '../../foundation/index.js';

/** Characters that are encoded in about 50 ns. */
const CHARACTERS_PER_UNIT = 16;

/** The texts of the objects of one request, while the objects stay the same. */
export class ReviewTexts {
  readonly #texts = new WeakMap<JsonObject, string>();

  /**
   * Returns the text of a review, with the members in their order. The texts of its objects are kept.
   *
   * @param work the work of the request, which holds the memory of the texts until it is answered
   * @throws ApiError what the work throws
   */
  of(review: JsonObject, work: Work): string | Promise<string> {
    return inSlices(work, this.#reviewSteps(review, work), 'admission');
  }

  *#reviewSteps(review: JsonObject, work: Work): Steps<string> {
    const parts: string[] = [];
    for (const [key, value] of Object.entries(review)) {
      if (value === undefined) continue;
      const isRequest = key === 'request' && isJsonObject(value);
      parts.push(`${JSON.stringify(key)}:${isRequest ? yield* this.#requestSteps(value, work) : jsonText(value)}`);
    }
    return `{${parts.join(',')}}\n`;
  }

  *#requestSteps(request: JsonObject, work: Work): Steps<string> {
    const parts: string[] = [];
    for (const [key, value] of Object.entries(request)) {
      if (value === undefined) continue;
      const isObject = (key === 'object' || key === 'oldObject') && isJsonObject(value);
      parts.push(`${JSON.stringify(key)}:${isObject ? yield* this.#objectSteps(value, work) : jsonText(value)}`);
    }
    return `{${parts.join(',')}}`;
  }

  *#objectSteps(object: JsonObject, work: Work): Steps<string> {
    const known = this.#texts.get(object);
    if (known !== undefined) return known;
    const text = isLargeWork(work, object) ? yield* jsonTextSteps(object, work) : yield* smallText(object, work);
    this.#texts.set(object, text);
    return text;
  }
}

function* smallText(object: JsonObject, work: Work): Steps<string> {
  const text = jsonText(object);
  work.reserve(text.length);
  if (work.spend(text.length / CHARACTERS_PER_UNIT)) yield;
  return text;
}

/** A review, with its text for webhooks that are called over the network. */
export interface SentReview {
  readonly review: JsonObject;
  readonly text: () => string | Promise<string>;
  /** The work of the call. */
  readonly work: Work;
}

/** Returns a review that can be sent. */
export const sentReview = (review: JsonObject, texts: ReviewTexts, requestWork: Work, work: Work): SentReview => ({
  review,
  text: () => texts.of(review, requestWork),
  work,
});
