import{a,b,c}from"./chunk-RPPA7Y6S.js";import"./chunk-LZA7HITR.js";c();export{a as default,b as useLate};
