export * from '../transport/fastify/fastify.js';
