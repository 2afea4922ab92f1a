# An image with nothing but the static program:
#
#   docker build -t starloom .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" starloom run scenario.yaml --html run.html
#
# RTL, firmware from sources and FST need tools that it does not have.
FROM golang:1.26.4-trixie@sha256:68b7145ec43d1820b9a56704554b53d1520aa2a15cb5233e374188a31b2a1bce AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o starloom ./cmd/starloom

FROM scratch
COPY --from=build /src/LICENSE /LICENSE
COPY --from=build /src/starloom /usr/bin/starloom
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["/usr/bin/starloom"]
CMD ["help"]
