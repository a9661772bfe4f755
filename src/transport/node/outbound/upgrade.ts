import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import {
  noAnswer,
  onAbort,
  type CheckedRequest,
  type OutboundStream,
  type OutboundTunnel,
  type StreamedRequest,
} from '../../../foundation/index.js';
import type { AgentLease } from './agent-pool.js';
import { fieldsOf, sentFields } from './fields.js';
import { streamOf } from './http1.js';
import { identityOf } from './identity.js';
import { writeBytes } from '../write-bytes.js';
import { PlainTunnelAgent } from './tunnel-agent.js';

/**
 * Sends a request that asks for another protocol.
 *
 * @returns the connection, or the response that refuses it
 * @throws Error when there is no response
 */
export function sendUpgrade(
  { headers, tls, signal }: Pick<StreamedRequest, 'headers' | 'tls' | 'signal'>,
  checked: CheckedRequest,
  { agent, forwarder, hold }: AgentLease,
): Promise<OutboundTunnel | OutboundStream> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(noAnswer(checked, signal.reason));
    const secure = checked.url.protocol === 'https:';
    const sent = (secure ? httpsRequest : httpRequest)(checked.url, {
      // A proxy passes other protocols on through a tunnel only.
      agent: forwarder === undefined ? agent : new PlainTunnelAgent(forwarder),
      headers: sentFields(headers),
      ...(secure ? identityOf(checked.url, tls) : {}),
    });
    const release = hold();
    const stop = onAbort(signal, () => {
      reject(noAnswer(checked, signal?.reason));
      sent.destroy();
    });
    sent.once('upgrade', (response: IncomingMessage, socket: Duplex, head: Buffer) => {
      stop();
      socket.once('close', release);
      resolve(tunnelOf(socket, head, response, checked));
    });
    sent.once('response', (response: IncomingMessage) => {
      stop();
      response.once('close', release);
      resolve(streamOf(response, checked, undefined));
    });
    sent.once('error', (error) => {
      stop();
      release();
      reject(noAnswer(checked, error));
    });
    sent.end();
  });
}

function tunnelOf(socket: Duplex, head: Buffer, response: IncomingMessage, checked: CheckedRequest): OutboundTunnel {
  // Without a listener, a connection error would end the process. The reader of the bytes gets it.
  socket.on('error', () => undefined);
  if (head.length > 0) socket.unshift(head);
  return {
    status: 101,
    fields: () => fieldsOf(response.headersDistinct),
    bytes: bytesOf(socket, checked),
    write: async (bytes) => writeBytes(socket, bytes),
    close: () => void socket.destroy(),
  };
}

async function* bytesOf(socket: Duplex, checked: CheckedRequest): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    // If this side ends the connection, the server has not failed.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    throw noAnswer(checked, error);
  } finally {
    socket.destroy();
  }
}
