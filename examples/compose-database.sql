-- Run by the image of PostgreSQL on its first start (compose.yaml): the server's role owns its database and nothing else.
\getenv password POSTGRES_PASSWORD
CREATE ROLE wfh LOGIN PASSWORD :'password';
CREATE DATABASE wfh OWNER wfh ENCODING 'UTF8' TEMPLATE template0;
-- The administrator connects over the socket in the container, and has no password.
ALTER ROLE postgres PASSWORD NULL;
