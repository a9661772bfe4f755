import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/index.js';
import { poolOf } from '../../../src/storage/postgres/driver.js';
import { SqlFailure } from '../../../src/storage/postgres/failure.js';
import { Session } from '../../../src/storage/postgres/session.js';

/** Returns a message of the protocol of PostgreSQL, https://www.postgresql.org/docs/current/protocol-message-formats.html. */
function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const END = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'));

test('a database that ends a connection in the moment in which it begins fails the session, not the program', async () => {
  const database = createServer((socket) => {
    // All in one piece, so that the client reads the end before anything else can happen.
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, END])));
  }).listen(0, '127.0.0.1');
  await once(database, 'listening');
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);
  process.on('uncaughtException', note);
  const pool = await poolOf(`postgres://orch@127.0.0.1:${(database.address() as AddressInfo).port}/postgres`, 60_000);
  try {
    const settings = { clock: systemClock, timeoutMs: 60_000, preparesStatements: true };
    await expect(Session.open(() => pool.connect(), settings)).rejects.toThrow(SqlFailure);
    await pool.end();
    expect(uncaught).toEqual([]);
  } finally {
    process.off('uncaughtException', note);
    database.close();
  }
});
