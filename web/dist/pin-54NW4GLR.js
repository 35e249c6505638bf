import{a,b,c}from"./chunk-PD4I234Y.js";import"./chunk-4SB6D7PQ.js";c();export{a as SetPIN,b as default};
