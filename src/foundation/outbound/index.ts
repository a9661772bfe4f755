export { checkRequest, noAnswer, answerTooLong, type CheckedRequest } from './checked-request.js';
export { fetchHttpClient, type FetchFunction } from './fetch-http-client.js';
export * from './http-client.js';
export * from './webhook-post.js';
export * from './webhook.js';
export { sendWithin, type SendWithinOptions } from './send-within.js';
