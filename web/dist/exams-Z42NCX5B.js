import{d as a,e as b,f as c}from"./chunk-2BA4DIZT.js";import"./chunk-PVRUXJKG.js";import"./chunk-AZNY34PQ.js";import"./chunk-WZQEC2GS.js";c();export{a as default,b as enters};
