import{a,b,c}from"./chunk-DV7XSWEC.js";import"./chunk-2WWN6WQ5.js";c();export{b as Push,a as renewPush};
