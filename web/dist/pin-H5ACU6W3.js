import{a,b,c}from"./chunk-E2GZJI7I.js";import"./chunk-GOKVTJ5P.js";c();export{a as SetPIN,b as default};
