/** WebSockets with many frames are read a few in a turn, and those of others meanwhile. */
import { once } from 'node:events';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { nextTurn } from '../../src/foundation/async/turn.js';
import { SocketTurns } from '../../src/transport/node/websocket/socket-turns.js';

/** Connections that flow. */
function flowing(turns: SocketTurns, count: number): Socket[] {
  return Array.from({ length: count }, () => {
    const socket = new Socket();
    turns.add(socket);
    socket.resume();
    return socket;
  });
}

const paused = (sockets: readonly Socket[]): number => sockets.filter((socket) => socket.isPaused()).length;

test('many frames in a chunk hold all connections until the next turn, and one with as many is read in each', async () => {
  const turns = new SocketTurns();
  const floods = flowing(turns, 5);
  const others = flowing(turns, 3);
  for (const socket of floods) if (!socket.isPaused()) turns.took(600, 64 * 1024, socket);
  expect([paused(floods), paused(others)]).toEqual([5, 3]);
  await nextTurn();
  await nextTurn();
  expect(paused(others)).toBe(0);
});

test('one after the other is read again', async () => {
  const turns = new SocketTurns();
  const floods = flowing(turns, 5);
  const read: number[] = [];
  for (const [index, socket] of floods.entries()) {
    socket.on('resume', () => {
      read.push(index);
      turns.took(600, 64 * 1024, socket);
    });
    turns.took(600, 64 * 1024, socket);
  }
  for (let turn = 0; turn < 40; turn += 1) await nextTurn();
  expect(new Set(read)).toEqual(new Set([0, 1, 2, 3, 4]));
  for (const socket of floods) socket.destroy();
});

test('long chunks count by their bytes', () => {
  const turns = new SocketTurns();
  const sockets = flowing(turns, 30);
  let chunks = 0;
  for (const socket of sockets) {
    if (paused(sockets) > 0) break;
    turns.took(0, 64 * 1024, socket);
    chunks += 1;
  }
  expect(chunks).toBeGreaterThan(4);
  expect(chunks).toBeLessThan(30);
});

test('a small message holds nobody', async () => {
  const turns = new SocketTurns();
  const sockets = flowing(turns, 10);
  for (let round = 0; round < 50; round += 1) {
    for (const socket of sockets) turns.took(1, 100, socket);
    await nextTurn();
    await nextTurn();
  }
  expect(paused(sockets)).toBe(0);
});

test('a connection that has closed is forgotten', async () => {
  const turns = new SocketTurns();
  const gone = flowing(turns, 1);
  const open = flowing(turns, 1);
  for (const socket of gone) {
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
  }
  for (const socket of open) turns.took(600, 64 * 1024, socket);
  expect([paused(gone), paused(open)]).toEqual([0, 1]);
});
