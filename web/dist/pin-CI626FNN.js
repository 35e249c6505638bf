import{a,b,c}from"./chunk-DCSWRCJ4.js";import"./chunk-46IXHASG.js";c();export{a as SetPIN,b as default};
