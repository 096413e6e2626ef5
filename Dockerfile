# Hone on Debian 12, built from Debian's packages alone.
#   docker build -t hone . && docker run --rm -v "$PWD:/work" hone profile model.onnx
FROM debian:12 AS build
WORKDIR /source
COPY . .
RUN scripts/setup && scripts/package /packages

FROM debian:12-slim
COPY --from=build /packages/*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/*.deb && rm -rf /tmp/*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["hone"]
