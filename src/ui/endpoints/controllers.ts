import { jsonAnswer, type PageEndpoint } from './call.js';

/** `GET /ui/v1/controllers`: the controllers as this server knows them, with their queues, last failures and leaders. */
export const controllers: PageEndpoint = {
  method: 'GET',
  answer: ({ parts }) => jsonAnswer({ ...parts.controllers(), now: parts.clock.now() }),
};
