import{a,b,c}from"./chunk-RXMXTU57.js";import"./chunk-46IXHASG.js";c();export{b as default,a as tabs};
